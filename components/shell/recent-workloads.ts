import { clusterParam } from '@/components/queries/cluster';
import { readStored, store } from '@/components/ui/browser-storage';

const STORAGE_KEY = 'recent';
const RECENT_MAX = 6;

/** Notes the workload whose page is open, in which of several clusters. */
export function noteOpened(pathname: string, cluster?: string): void {
  const [, first, resource, namespace, name] = pathname.split('/');
  if (first !== 'workloads' || name === undefined) return;
  const key = [clusterParam(cluster) ?? [], resource, namespace, name].flat().join('/');
  const others = recentWorkloads().filter((each) => each !== key);
  store(STORAGE_KEY, JSON.stringify([key, ...others].slice(0, RECENT_MAX)));
}

/** `deployments.apps/shop/cart`, the latest first; of several clusters `prod-eu/deployments.apps/shop/cart`. */
export function recentWorkloads(): readonly string[] {
  try {
    const keys: unknown = JSON.parse(readStored(STORAGE_KEY) ?? '[]');
    if (!Array.isArray(keys)) return [];
    const isKey = (key: unknown): key is string =>
      typeof key === 'string' && /^[^/,]+(\/[^/,]+){2,3}$/.test(key);
    return keys.filter(isKey).slice(0, RECENT_MAX);
  } catch {
    return [];
  }
}
