import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { archivedActionSchema } from '@/lib/api/action';
import { activationSchema, archivedRevisionSchema, incarnationSchema } from '@/lib/api/incarnation';
import { rolloutRecordSchema } from '@/lib/api/record';
import { commentSchema, reviewSchema } from '@/lib/api/review';
import { formatDocument, parseDocument } from '@/server/archive/column-values';
import {
  actionDocumentSchema,
  recordDocumentSchema,
  exportedRecordSchema,
  summaryDocumentSchema,
} from '@/server/archive/document-schemas';
import { sampleAction } from '@/server/archive/testing/sample-actions';
import { sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import { parseLine } from '@/server/archive/export-line';
import { DOCUMENT_VERSION } from '@/server/archive/upgrades';
import { parseAuditLine } from '@/server/audit/audit';
import { arbitraryOf } from '@/test/arbitrary-document';

const { samples, pinned, ...record } = sampleRecord(sampleIncarnation(), 2, {
  spans: [{ kind: 'stuck', from: '2026-03-02T11:05:00Z', to: null, reason: 'No pod is ready.' }],
});
const archived = sampleAction(1);

describe('a document of an earlier version', () => {
  /** As the first version wrote them, and what was added since. */
  const steps = record.steps.map(({ removed: _, ...step }) => step);
  const { progressiveRollout: release, ...withoutRollout } = record;

  test.each([
    ['without the pods that a step removed', { ...withoutRollout, steps }],
    ['without a progressive rollout', withoutRollout],
    ['without a version', { ...withoutRollout, release }],
    ['of the second version, with a release', { v: 2, ...withoutRollout, release }],
    ['of the present version', { v: DOCUMENT_VERSION, ...record }],
  ])('of a record %s is read as the same record', (_name, document) => {
    const text = JSON.stringify(document);
    expect(parseDocument(recordDocumentSchema, text)).toStrictEqual(record);
    expect(parseDocument(summaryDocumentSchema, text)).toStrictEqual(
      parseDocument(summaryDocumentSchema, formatDocument(record)),
    );
    expect(exportedRecordSchema.parse({ ...document, samples, pinned })).toStrictEqual({
      ...record,
      samples,
      pinned,
    });
  });

  test('of an action without where the template came from, step and rollout is read as the same action', () => {
    const { toOrigin: _o, toHash: _h, step: _s, rollout: _r, ...action } = archived.action;
    const expected = { ...archived, action: { ...archived.action, toOrigin: null } };
    expect(parseDocument(actionDocumentSchema, JSON.stringify({ ...archived, action }))).toStrictEqual(
      expected,
    );
    const line = { ...archived, action, event: 'finished', seen: null, expectation: null };
    expect(parseAuditLine(JSON.stringify(line))?.action).toStrictEqual(expected.action);
  });

  test.each(['release', 'runId'])(
    'of an action with %s in its goal is read with the names of today',
    (name) => {
      const goal = { until: 'step', from: 1, to: 2, before: '7', [name]: 'r1' };
      const expectation = { template: '', generation: 2, until: 'goal', pod: null, goal };
      const findings = ['ends_release', 'continues_rollout'].map((code) => ({
        code,
        severity: 'info',
        message: '',
      }));
      const line = { ...archived, findings, event: 'accepted', seen: null, expectation };
      const entry = parseAuditLine(JSON.stringify(line));
      expect(entry?.expectation?.goal).toStrictEqual({
        until: 'step',
        from: 1,
        to: 2,
        before: '7',
        runId: 'r1',
      });
      expect(entry?.findings?.map(({ code }) => code)).toStrictEqual(['ends_rollout', 'continues_rollout']);
    },
  );

  test('of an action with the template of an earlier life names an earlier incarnation', () => {
    const document = { v: 2, ...archived, action: { ...archived.action, toOrigin: 'earlierLife' } };
    const { action } = parseDocument(actionDocumentSchema, JSON.stringify(document));
    expect(action.toOrigin).toBe('earlierIncarnation');
  });
});

describe.each([
  ['an incarnation', 'incarnation', incarnationSchema, incarnationSchema],
  ['a revision', 'revision', archivedRevisionSchema, archivedRevisionSchema],
  ['an activation', 'activation', activationSchema, activationSchema],
  ['a record', 'record', rolloutRecordSchema, exportedRecordSchema],
  ['a review', 'review', reviewSchema, reviewSchema],
  ['a comment', 'comment', commentSchema, commentSchema],
  ['an action', 'action', archivedActionSchema, actionDocumentSchema],
])('the document of %s', (_name, type, schema, documentSchema) => {
  test('states its version, and is read as it was written', () => {
    const check = (value: object) => {
      const text = formatDocument(value);
      expect(JSON.parse(text)).toMatchObject({ v: DOCUMENT_VERSION });
      expect(parseDocument<unknown>(documentSchema, text)).toStrictEqual(value);
    };
    fc.assert(fc.property(arbitraryOf<z.core.$ZodType<object>>(schema), check));
  });

  test('of a newer Shiplog is refused, with what to do', () => {
    const found = DOCUMENT_VERSION + 1;
    expect(() => parseDocument<unknown>(documentSchema, JSON.stringify({ v: found }))).toThrow(
      expect.objectContaining({
        code: 'archive_unavailable',
        message: expect.stringMatching(/newer Shiplog.*Upgrade/) as string,
        details: { reason: 'newer', retry: false, found, known: DOCUMENT_VERSION },
      }),
    );
    expect(() => parseLine(JSON.stringify({ type, value: { v: found } }), 7)).toThrow(
      /^Line 7 .*newer Shiplog wrote it .*; upgrade this one first/,
    );
  });
});
