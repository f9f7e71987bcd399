import 'server-only';
import { z } from 'zod';
import { archivedActionSchema } from '@/lib/api/action';
import { podSampleSchema, rolloutRecordSchema } from '@/lib/api/record';
import { summarizedRecordSchema } from '@/lib/api/record-summary';
import type { Immutable } from '@/lib/immutable';
import { upgradeAction, upgradeRecord } from '@/server/archive/upgrades';

/*
 * The documents of rows and of exports, parsed where they are read, whatever version wrote them. Kinds that are
 * not here are as their schema says since the first version.
 */

/** Pins and samples are stored apart. */
const storedRecordSchema = rolloutRecordSchema.omit({ samples: true, pinned: true });
export type RecordDocument = Immutable<z.infer<typeof storedRecordSchema>>;
export const recordDocumentSchema = z.transform(upgradeRecord).pipe(storedRecordSchema);

/** What a record summary needs of it; the rest, which may be long, is not parsed. */
export const summaryDocumentSchema = z.transform(upgradeRecord).pipe(summarizedRecordSchema);

/** A record with its samples and its pin. */
export const exportedRecordSchema = z.transform(upgradeRecord).pipe(rolloutRecordSchema);

export const samplesSchema = z.array(podSampleSchema);

export const actionDocumentSchema = z.transform(upgradeAction).pipe(archivedActionSchema);
