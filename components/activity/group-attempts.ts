import type { ActivityItem } from '@/lib/api/activity';
import { HOUR } from '@/lib/format/duration';

/** An attempt of longer ago was another one. */
const ATTEMPT_MS_MAX = HOUR;

/** An action with the rejected attempts that it followed, newest first. */
export type GroupedAction = ActivityItem & { attempts: readonly ActivityItem[] };

/**
 * Puts rejected attempts under the action that followed: the next of the same kind by the same person on the same
 * object, within an hour. Actions are newest first, page by page; an attempt leaves its page where the action that it
 * belongs to is on an earlier one.
 */
export function groupAttempts<Page extends { items: readonly ActivityItem[] }>(
  pages: readonly Page[],
): (Omit<Page, 'items'> & { items: GroupedAction[] })[] {
  const following = new Map<string, GroupedAction & { attempts: ActivityItem[] }>();
  return pages.map((page) => {
    const items = page.items.flatMap((action): GroupedAction[] => {
      const key = keyOf(action);
      const later = following.get(key);
      if (action.state === 'refused' && later && isSoonBefore(action, later)) {
        later.attempts.push(action);
        return [];
      }
      const grouped = { ...action, attempts: [] };
      if (action.state !== 'refused') following.set(key, grouped);
      return [grouped];
    });
    return { ...page, items };
  });
}

function keyOf({ cluster, resource, namespace, name, actor, action }: ActivityItem): string {
  return JSON.stringify([cluster, resource, namespace, name, actor, action]);
}

function isSoonBefore(attempt: ActivityItem, later: ActivityItem): boolean {
  return Date.parse(later.startedAt) - Date.parse(attempt.startedAt) <= ATTEMPT_MS_MAX;
}
