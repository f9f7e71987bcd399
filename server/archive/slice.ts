import { type ArchiveDatabase } from '@/server/archive/migrations/schema';

/** Does one piece of work on the database, small enough that requests can wait for its end: some milliseconds. */
export type RunSlice = <Result>(query: (database: ArchiveDatabase) => Promise<Result>) => Promise<Result>;
