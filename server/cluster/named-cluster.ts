import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { LocalSource } from '@/server/shared/cluster-entry';

/**
 * Whether the configuration names a cluster: a service account, or a kubeconfig with a context to use. The
 * cluster may still be unreachable. A file that can't be read or parsed counts, so that its error is
 * reported.
 */
export function namesCluster(source: LocalSource): boolean {
  switch (source.kind) {
    case 'in_cluster':
      return true;
    case 'none':
      return false;
    case 'kubeconfig':
      return source.context !== undefined || source.files.some(mayHaveCurrentContext);
    default: {
      const unknown: never = source;
      return unknown;
    }
  }
}

/** Of several files the first that names a context decides; a missing one is skipped, as kubectl does. */
function mayHaveCurrentContext(file: string): boolean {
  try {
    const content: unknown = parse(readFileSync(file, 'utf8'));
    if (content === null) return false;
    if (typeof content !== 'object' || !('current-context' in content)) return typeof content !== 'object';
    return content['current-context'] !== null && content['current-context'] !== '';
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
}
