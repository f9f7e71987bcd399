import type { Kysely } from 'kysely';
import { createRecordTables } from '@/server/archive/migrations/0001-ledger';
import { createActions } from '@/server/archive/migrations/0002-actions';
import { addFigures } from '@/server/archive/migrations/0003-figures';
import { orderByActivation } from '@/server/archive/migrations/0004-order';
import { widenOrder } from '@/server/archive/migrations/0005-report';
import { addReturns } from '@/server/archive/migrations/0006-returns';
import { separateClusters } from '@/server/archive/migrations/0007-clusters';
import { addMeanings } from '@/server/archive/migrations/0008-meanings';
import { keyByCluster } from '@/server/archive/migrations/0009-cluster-keys';
import { addSessions } from '@/server/archive/migrations/0010-sessions';
import { addTeam } from '@/server/archive/migrations/0011-team';
import type { Engine } from '@/server/archive/migrations/schema';

export interface Migration {
  name: string;
  /** Within a transaction, with all others that are due. */
  readonly up: (db: Kysely<unknown>, engine: Engine) => Promise<void>;
}

/** In order; the number of one is its position, from 1. A released migration is never changed. */
export const migrations: readonly Migration[] = [
  { name: 'ledger', up: createRecordTables },
  { name: 'actions', up: createActions },
  { name: 'figures', up: addFigures },
  { name: 'order', up: orderByActivation },
  { name: 'report', up: widenOrder },
  { name: 'returns', up: addReturns },
  { name: 'clusters', up: separateClusters },
  { name: 'meanings', up: addMeanings },
  { name: 'cluster-keys', up: keyByCluster },
  { name: 'sessions', up: addSessions },
  { name: 'team', up: addTeam },
];
