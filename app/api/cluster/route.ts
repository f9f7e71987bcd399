import { readRoute } from '@/app/api/handlers';
import { noParams } from '@/app/api/params';
import { clusterInfo } from '@/server/reads/cluster';

export const GET = readRoute(
  '/api/cluster',
  noParams,
  noParams,
  ({ cluster, config, reads, recordKeeper: ledger, viewer, controllers }) =>
    clusterInfo(cluster, config, viewer, reads.archive != null, ledger.state, controllers?.states() ?? []),
);
