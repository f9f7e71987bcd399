import { type UseQueryStatesKeysMap } from 'nuqs';
import { useClusterFilter } from '@/components/shared/cluster-filter';
import { useListAddress } from '@/components/list/list-address';
import { activityExportPath } from '@/components/queries/activity';
import { downloadFile } from '@/components/ui/download-file';
import { MenuButton } from '@/components/ui/menu-button';

/** Downloads what the filters of the address show. */
export function ActivityExport({ parsers }: { parsers: UseQueryStatesKeysMap }) {
  const { stated: own } = useListAddress(parsers);
  const place = useClusterFilter();
  const stated = { ...own, ...place };
  return (
    <MenuButton
      size="small"
      align="end"
      items={[
        { heading: 'Up to 10,000 actions' },
        { label: 'CSV', onSelect: () => downloadFile(activityExportPath(stated, 'csv')) },
        {
          label: 'JSON',
          onSelect: () => downloadFile(activityExportPath(stated, 'json'), 'activity.json'),
        },
      ]}
    >
      Export
    </MenuButton>
  );
}
