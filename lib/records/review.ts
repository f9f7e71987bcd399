import type { Author } from '@/lib/api/review';

/** Names are not unique, so they decide only where nothing else was saved. */
export function isAuthor({ by, byId }: Author, viewer: { id: string; name: string }): boolean {
  return byId === undefined ? by === viewer.name : byId === viewer.id;
}
