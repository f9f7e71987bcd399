import { IconButton } from '@/components/ui/button';
import type { GroupItem } from '@/lib/api/groups';

/** Opens the dialog that restarts a group, or gives the reason where that is not possible. */
export function RestartGroup({
  group,
  blocked,
  onRestart,
  className,
}: {
  group: GroupItem;
  blocked: string | null;
  onRestart: (group: GroupItem) => void;
  className?: string;
}) {
  const refusal = blocked ?? (group.leader === null ? 'The group has no leader.' : null);
  return (
    <IconButton
      glyph="restart"
      label={`Restart group ${group.index}…${refusal === null ? '' : ` ${refusal}`}`}
      aria-disabled={refusal === null ? undefined : true}
      onClick={() => refusal === null && onRestart(group)}
      className={refusal === null ? className : `${className ?? ''} opacity-40`}
    />
  );
}
