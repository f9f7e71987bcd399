import { type Kysely } from 'kysely';
import { createLedger } from '@/server/archive/migrations/0001-ledger';
import { createActions } from '@/server/archive/migrations/0002-actions';
import { addFigures } from '@/server/archive/migrations/0003-figures';
import { orderByActivation } from '@/server/archive/migrations/0004-order';
import { widenOrder } from '@/server/archive/migrations/0005-report';
import { addReturns } from '@/server/archive/migrations/0006-returns';
import { tellClusters } from '@/server/archive/migrations/0007-clusters';
import { addMeanings } from '@/server/archive/migrations/0008-meanings';
import { type Engine } from '@/server/archive/schema';

export interface Migration {
  name: string;
  /** Within a transaction, with all others that are due. */
  readonly up: (db: Kysely<unknown>, engine: Engine) => Promise<void>;
}

/** In order; the number of one is its place, from 1. One that has been released is never changed. */
export const migrations: readonly Migration[] = [
  { name: 'ledger', up: createLedger },
  { name: 'actions', up: createActions },
  { name: 'figures', up: addFigures },
  { name: 'order', up: orderByActivation },
  { name: 'report', up: widenOrder },
  { name: 'returns', up: addReturns },
  { name: 'clusters', up: tellClusters },
  { name: 'meanings', up: addMeanings },
];
