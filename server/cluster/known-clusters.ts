import 'server-only';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from '@/server/write-private';

const knownSchema = z.record(z.string(), z.string());

/**
 * Which cluster the API server behind an address and CA turned out to be, kept in the data directory: a start while that
 * is away can still tell which part of the archive is its own.
 */
export class KnownClusters {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'clusters.json');
  }

  /** Id of the cluster that was last reached so; undefined where none ever was. */
  idOf(clusterHash: string): string | undefined {
    return this.#read()[clusterHash];
  }

  /** Throws where the file can't be written. */
  remember(clusterHash: string, id: string): void {
    const known = this.#read();
    if (known[clusterHash] === id) return;
    writePrivate(this.#path, JSON.stringify({ ...known, [clusterHash]: id }));
  }

  #read(): Record<string, string> {
    try {
      return knownSchema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return {};
    }
  }
}
