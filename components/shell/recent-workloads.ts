import { readStored, store } from '@/components/ui/browser-storage';

const STORAGE_KEY = 'shiplog.recent';
const RECENT_MAX = 6;

/** Notes the workload whose page is open. */
export function noteOpened(pathname: string): void {
  const [, first, resource, namespace, name] = pathname.split('/');
  if (first !== 'workloads' || name === undefined) return;
  const key = [resource, namespace, name].join('/');
  const others = recentWorkloads().filter((each) => each !== key);
  store(STORAGE_KEY, JSON.stringify([key, ...others].slice(0, RECENT_MAX)));
}

/** `deployments.apps/shop/cart`, the latest first. */
export function recentWorkloads(): readonly string[] {
  try {
    const keys: unknown = JSON.parse(readStored(STORAGE_KEY) ?? '[]');
    if (!Array.isArray(keys)) return [];
    const isKey = (key: unknown): key is string =>
      typeof key === 'string' && /^[^/,]+(\/[^/,]+){2}$/.test(key);
    return keys.filter(isKey).slice(0, RECENT_MAX);
  } catch {
    return [];
  }
}
