import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { sentence } from '@/lib/sentence';
import { errorAnswer } from '@/server/http/http-answer';
import { badRequest } from '@/server/http/http-input';
import { createLogger } from '@/server/shared/log';
import { Keys } from '@/server/shared/keys';
import { containsMarker } from '@/server/shared/mask';

const { mask } = new Keys(Buffer.alloc(32, 7));

/** Data of different forms, none of which is a credential. */
const DATA = [
  'cart',
  '3',
  'shop/cart',
  'must be a string.',
  'https://k8s.example:6443',
  '"cart"',
  'cart-7d9f8b6c5d-x2x9z',
  'v1.2.3',
];

/** Shown where Shiplog starts, and by its documentation: there is no mask, and examples have passwords. */
const WITHOUT_MASK = new Set(['server/shared/config.ts', 'server/shared/variables.ts']);

/** The texts of the source that read like sentences, each with data in it. */
function sentencesOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts: string[] = [];
  function visit(node: ts.Node): void {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sentence') return;
    if (ts.isStringLiteralLike(node) && isSentence(node.text)) texts.push(node.text);
    if (ts.isTemplateExpression(node)) {
      const words = [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)];
      if (isSentence(words.join(' '))) texts.push(...DATA.map((value) => words.join(value)));
    }
    ts.forEachChild(node, visit);
  }
  visit(source);
  return texts;
}

const isSentence = (text: string) => /[a-z]{2,}[,:]? [a-z]{2,}/.test(text) && !text.includes('\n');

const files = ['server', 'lib']
  .flatMap((folder) => globSync(`${folder}/**/*.ts`))
  .filter((path) => !/\.test\.ts$|\/testing\//.test(path) && !WITHOUT_MASK.has(path));

/** A sentence that fails here is written as sentence`…`, of which only the data is masked. */
test('no sentence in the source is masked, whatever data is put into it', () => {
  const sentences = files.flatMap((path) => sentencesOf(path).map((text) => ({ path, text })));
  expect(sentences.length).toBeGreaterThan(2_000);
  expect(sentences.filter(({ text }) => containsMarker(mask.text(text)))).toEqual([]);
});

const url = 'postgres://bob:hunter2@db/x';

async function answerOf(error: unknown): Promise<{ message: string; details: unknown }> {
  const { error: body } = (await errorAnswer(error, undefined, mask).json()) as {
    error: { message: string; details: unknown };
  };
  return body;
}

describe('an answer about an error', () => {
  const names = ['token', 'logout_token', 'password', 'apiKey', 'secret', 'authorization', 'cookie'];

  test.each(names)('shows our words about the field %s', async (name) => {
    const schema = z.strictObject({ [name]: z.string().min(1), to: z.enum(['a', 'b']).optional() });
    for (const input of [
      {},
      { [name]: '' },
      { [name]: 5 },
      { [name]: 'x', to: 'c' },
      { [name]: 'x', more: 1 },
    ]) {
      const { error } = schema.safeParse(input);
      if (error === undefined) throw new Error('the input is valid');
      const body = await answerOf(badRequest(error));
      expect(containsMarker(body), JSON.stringify(body)).toBe(false);
    }
  });

  test.each(names)('shows a sentence of ours that begins with %s', async (name) => {
    const { message } = await answerOf(
      new AppError('bad_request', sentence`${name}: is missing, not ${'cart'}.`),
    );
    expect(message).toBe(`${name}: is missing, not cart.`);
  });

  test('hides a credential in the data of a sentence, and in a text that is no sentence', async () => {
    const errors = [
      new AppError('cluster_error', sentence`The API server answers: ${url}.`),
      new AppError('cluster_error', `The API server answers: ${url}.`),
      new AppError('cluster_error', sentence`Nothing was changed: ${sentence`it answers ${url}`}.`),
      new AppError('cluster_error', 'Nothing was changed.', { apiMessage: url, password: 'hunter2' }),
    ];
    for (const error of errors) {
      const body = await answerOf(error);
      expect(JSON.stringify(body)).not.toContain('hunter2');
      expect(containsMarker(body)).toBe(true);
    }
  });

  test('is logged with our words, and without a credential in its data', () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) });
    const error = new AppError('bad_request', sentence`logout_token: is not valid: ${url}.`);
    log.warn('a logout was not accepted', { error });
    expect(lines.join('')).toContain('logout_token: is not valid: postgres://[redacted]@db/x.');
  });

  test('hides a credential in the name of a field that the caller sends', async () => {
    const { error } = z.strictObject({}).safeParse({ [url]: 1 });
    if (error === undefined) throw new Error('the input is valid');
    expect(JSON.stringify(await answerOf(badRequest(error)))).not.toContain('hunter2');
  });
});
