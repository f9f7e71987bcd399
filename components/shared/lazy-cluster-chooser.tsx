import { lazily } from '@/components/ui/lazily';

/** Loaded where an address names none of several clusters. */
export const LazyClusterChooser = lazily(
  async () => (await import('@/components/shared/cluster-chooser')).ClusterChooser,
);
