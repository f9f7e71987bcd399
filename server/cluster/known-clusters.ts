import 'server-only';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writePrivate } from '@/server/shared/write-private';

const knownSchema = z.record(z.string(), z.string());

/**
 * The clusters that addresses with their CAs, and uids of the namespace kube-system, belong to, stored in the data
 * directory: a start while the API server is unreachable, or with fewer rights, still finds its own data in the archive.
 */
export class KnownClusters {
  readonly #path: string;

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'clusters.json');
  }

  /** Id of the cluster that was last found under another id of it; undefined where none ever was. */
  idOf(alias: string): string | undefined {
    return this.#read()[alias];
  }

  /** Throws where the file can't be written. */
  remember(alias: string, id: string): void {
    const known = this.#read();
    if (known[alias] === id) return;
    writePrivate(this.#path, JSON.stringify({ ...known, [alias]: id }));
  }

  #read(): Record<string, string> {
    try {
      return knownSchema.parse(JSON.parse(readFileSync(this.#path, 'utf8')));
    } catch {
      return {};
    }
  }
}
