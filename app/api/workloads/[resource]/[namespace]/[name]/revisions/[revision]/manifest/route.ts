import { readRoute } from '@/app/api/handlers';
import { noParams, revisionParams } from '@/app/api/params';
import { revisionManifest } from '@/server/reads/manifest';

export const GET = readRoute(
  '/api/workloads/{…}/revisions/{revision}/manifest',
  revisionParams,
  noParams,
  ({ reads, viewer, params }) => revisionManifest(reads, viewer, params, params.revision),
);
