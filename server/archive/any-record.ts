import { type RecordQuery } from '@/server/archive/archive';

/** Matches every record of a cluster; callers narrow it. */
export const anyRecord: Omit<RecordQuery, 'cluster'> = {
  words: [],
  namespaces: null,
  resources: null,
  scopes: null,
  name: null,
  uids: null,
  outcomes: null,
  actor: null,
  image: null,
  sinceMs: null,
  untilMs: null,
  during: null,
  reviewed: null,
  limit: 50,
  cursor: null,
};
