'use client';

import { useSyncExternalStore } from 'react';
import { type ClusterFilter, useClusters } from '@/components/queries/clusters';
import { readStored, store } from '@/components/ui/browser-storage';
import { type ClusterItem } from '@/lib/api/cluster';

/** Clusters and stages of an address, comma separated; null: all. */
export interface ClusterAddress {
  cluster: string | null;
  stage: string | null;
}

const STORAGE_KEY = 'shiplog.clusters';
const listeners = new Set<() => void>();

/** Keeps the clusters and stages that the viewer chose, for the lists that are opened next. */
export function storeClusters({ cluster, stage }: Partial<ClusterAddress>): void {
  const stated = Object.entries({ cluster, stage }).filter(([, value]) => value != null && value !== '');
  const query = new URLSearchParams(stated as [string, string][]).toString();
  store(STORAGE_KEY, query === '' ? null : query);
  for (const listener of [...listeners]) listener();
}

/** The kept choice as far as those clusters are still there; nulls where all are chosen. */
export function useStoredClusters(): ClusterAddress {
  const stored = useSyncExternalStore(subscribe, readQuery, () => '');
  return knownClusters(stored, useClusters().items);
}

export function readStoredClusters(clusters: readonly ClusterItem[]): ClusterAddress {
  return knownClusters(readQuery(), clusters);
}

function knownClusters(stored: string, clusters: readonly ClusterItem[]): ClusterAddress {
  const query = new URLSearchParams(stored);
  const known = (name: string, values: readonly (string | null)[]) => {
    const kept =
      query
        .get(name)
        ?.split(',')
        .filter((value) => values.includes(value)) ?? [];
    return clusters.length > 1 && kept.length > 0 ? kept.join(',') : null;
  };
  return {
    cluster: known(
      'cluster',
      clusters.map(({ name }) => name),
    ),
    stage: known(
      'stage',
      clusters.map(({ stage }) => stage),
    ),
  };
}

/** The path of a list of the chosen clusters. */
export function listPath(path: string, clusters: ClusterAddress): string {
  const query = new URLSearchParams({ ...statedClusters(clusters) });
  return query.size === 0 ? path : `${path}?${query}`;
}

/** The query of the API. */
export function statedClusters({ cluster, stage }: ClusterAddress): ClusterFilter {
  return { ...(cluster !== null && { cluster }), ...(stage !== null && { stage }) };
}

function readQuery(): string {
  return readStored(STORAGE_KEY) ?? '';
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab changed it.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
