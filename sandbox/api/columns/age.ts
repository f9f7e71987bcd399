import { type TableColumn } from '@/sandbox/api/objects/resource-kind';

/** Age as the tables of kubectl show it: `36m`, `8m51s`, `3d4h`. */
export function ageText(timestamp: unknown, now: number): string {
  const then = typeof timestamp === 'string' ? Date.parse(timestamp) : NaN;

  return Number.isNaN(then) ? '<unknown>' : durationText(now - then);
}

/** https://github.com/kubernetes/apimachinery/blob/master/pkg/util/duration/duration.go */
function durationText(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 120) return `${Math.max(0, seconds)}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return parts(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return parts(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (hours < 24 * 8) return parts(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);

  return days < 365 * 8 ? parts(years, 'y', days % 365, 'd') : `${years}y`;
}

function parts(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

export const AGE: TableColumn = {
  name: 'Age',
  type: 'string',
  cell: ({ metadata }, now) => ageText(metadata.creationTimestamp, now),
};
