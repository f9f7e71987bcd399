'use client';

import { useQuery } from '@tanstack/react-query';
import { AbsoluteTime } from '@/components/ui/time';
import { archiveQuery } from '@/components/queries/records';

const engines = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

/** Size of the archive and its oldest record, at the end of the list. */
export function ArchiveSummary() {
  const { data } = useQuery(archiveQuery());
  if (data === undefined || data.oldestAt === null) return null;
  return (
    <p className="py-3 text-small text-ink-3">
      {engines[data.engine]}, {formatBytes(data.bytes)}. Oldest record: <AbsoluteTime iso={data.oldestAt} />.
      Records are never deleted.
    </p>
  );
}

/** "348 KB", "1.2 GB": powers of 1000, as disks are sold. */
function formatBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = bytes < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1_000 ** power;
  return `${value < 10 && power > 1 ? value.toFixed(1) : Math.round(value)} ${units[power]}`;
}
