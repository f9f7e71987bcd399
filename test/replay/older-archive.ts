import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { JsonObject } from '@/lib/kube/json';
import type { RolloutRecord } from '@/lib/api/record';
import {
  type WorkloadIncarnation,
  activationSchema,
  incarnationSchema,
  archivedRevisionSchema,
} from '@/lib/api/incarnation';
import { exportedRecordSchema } from '@/server/archive/document-schemas';
import type { MemoryArchive } from '@/server/recorder/testing/memory-archive';

const lineSchema = z.union([
  z.object({ life: incarnationSchema }),
  z.object({ revision: archivedRevisionSchema }),
  z.object({ activation: activationSchema }),
  z.object({ record: exportedRecordSchema }),
  z.object({ hash: z.string(), body: z.custom<JsonObject>() }),
]);

/** What a former version had written by a moment of a recording, read as from the archive. */
export class OlderArchive {
  readonly #lines: z.infer<typeof lineSchema>[];

  constructor(name: string) {
    const text = readFileSync(join(import.meta.dirname, 'archives', `${name}.jsonl`), 'utf8');
    this.#lines = text
      .trim()
      .split('\n')
      .map((line) => lineSchema.parse(JSON.parse(line)));
  }

  get records(): RolloutRecord[] {
    return this.#lines
      .flatMap((line) => ('record' in line ? [line.record] : []))
      .sort((a, b) => a.activation - b.activation);
  }

  async fill(archive: MemoryArchive): Promise<void> {
    const lease = await archive.leases.acquire('a former version', 0, this.#lives[0]?.cluster ?? '');
    if (lease === null) throw new Error('the archive is in use');
    await archive.record(
      lease,
      this.#lives.map((life) => ({
        incarnation: life,
        revisions: this.#lines.flatMap((line) =>
          'revision' in line && line.revision.workloadUid === life.uid
            ? [{ revision: line.revision, body: null }]
            : [],
        ),
        activations: this.#lines.flatMap((line) =>
          'activation' in line && line.activation.workloadUid === life.uid ? [line.activation] : [],
        ),
        records: this.records.filter(({ workload }) => workload.uid === life.uid),
        bodies: this.#lines.flatMap((line) => ('body' in line ? [line] : [])),
      })),
    );
    await archive.leases.release(lease);
  }

  get #lives(): WorkloadIncarnation[] {
    return this.#lines.flatMap((line) => ('life' in line ? [line.life] : []));
  }
}
