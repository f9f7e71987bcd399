import 'server-only';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from '@/server/shared/write-private';

const knownSchema = z.record(z.string(), z.string());

/**
 * The cluster that the API server behind an address and CA belongs to, stored in the data directory: a start
 * while that server is unreachable still finds its own data in the archive.
 */
export class KnownClusters {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'clusters.json');
  }

  /** Id of the cluster that was last reached this way; undefined where none ever was. */
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
