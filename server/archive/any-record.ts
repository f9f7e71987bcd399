import { type RecordQuery } from '@/server/archive/archive';

/** Finds everything of a cluster; to be narrowed. */
export const anyRecord: Omit<RecordQuery, 'cluster'> = {
  words: [],
  namespaces: null,
  resources: null,
  places: null,
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
