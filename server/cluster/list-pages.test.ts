import { describe, expect, test } from 'vitest';
import { type FetchPage, readPages } from '@/server/cluster/list-pages';

interface Asked {
  token: string | undefined;
  signal: AbortSignal;
  begin: () => void;
  arrive: () => void;
  fail: (error: Error) => void;
}

/** A collection of numbered pages whose answers begin and arrive when the test requests it. */
function collection(pages: number, write = pageText) {
  const asked: Asked[] = [];
  const fetchPage: FetchPage = (token, onBegin, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const number = token === undefined ? 1 : Number(token);
    const text = write(number, number < pages ? String(number + 1) : '');
    asked.push({
      token,
      signal,
      begin: () => onBegin(text.slice(0, 120)),
      arrive: () => resolve(text),
      fail: reject,
    });
    return promise;
  };
  return { asked, fetchPage };
}

function pageText(number: number, next: string): string {
  const metadata = { resourceVersion: '7', ...(next === '' ? {} : { continue: next }) };
  return JSON.stringify({ kind: 'PodList', apiVersion: 'v1', metadata, items: [itemOf(number)] });
}

function itemOf(number: number) {
  return { metadata: { name: `pod-${number}`, uid: `u${number}`, resourceVersion: '1' } };
}

async function namesOf(pages: ReturnType<typeof readPages>): Promise<string[]> {
  const names: string[] = [];
  for await (const { items } of pages) names.push(...items.map(({ metadata }) => metadata.name));
  return names;
}

describe('reading a collection in pages', () => {
  test('requests the next page when the previous one begins, and at most two ahead', async () => {
    const { asked, fetchPage } = collection(6);
    const pages = readPages(fetchPage);
    const first = pages.next();
    asked[0]?.begin();
    asked[1]?.begin();
    asked[2]?.begin();
    expect(asked.map(({ token }) => token)).toEqual([undefined, '2', '3']);
    asked[0]?.arrive();
    await first;
    const second = pages.next();
    asked[1]?.arrive();
    await second;
    expect(asked.map(({ token }) => token)).toEqual([undefined, '2', '3', '4']);
  });

  test('yields every page in order, however they arrive', async () => {
    const { asked, fetchPage } = collection(5);
    const arriving: FetchPage = (token, onBegin, signal) => {
      const page = fetchPage(token, onBegin, signal);
      const now = asked.at(-1);
      now?.begin();
      now?.arrive();
      return page;
    };
    await expect(namesOf(readPages(arriving))).resolves.toEqual([
      'pod-1',
      'pod-2',
      'pod-3',
      'pod-4',
      'pod-5',
    ]);
  });

  test('continues where the token comes after the items, and where no beginning is reported', async () => {
    const reversed = (number: number, next: string) =>
      JSON.stringify({
        items: [itemOf(number)],
        metadata: { continue: next },
        apiVersion: 'v1',
        kind: 'PodList',
      });
    const { asked, fetchPage } = collection(3, reversed);
    const arriving: FetchPage = (token, onBegin, signal) => {
      const page = fetchPage(token, onBegin, signal);
      asked.at(-1)?.arrive();
      return page;
    };
    await expect(namesOf(readPages(arriving))).resolves.toEqual(['pod-1', 'pod-2', 'pod-3']);
  });

  test('throws the failure of a page in its turn, and aborts the others', async () => {
    const { asked, fetchPage } = collection(3);
    const pages = readPages(fetchPage);
    const first = pages.next();
    asked[0]?.begin();
    asked[1]?.fail(new Error('gone'));
    asked[0]?.arrive();
    await expect(first).resolves.toMatchObject({ done: false });
    await expect(pages.next()).rejects.toThrow('gone');
    expect(asked.at(-1)?.signal.aborted).toBe(true);
  });

  test('leaving early aborts the pending requests', async () => {
    const { asked, fetchPage } = collection(3);
    const pages = readPages(fetchPage);
    const first = pages.next();
    asked[0]?.begin();
    asked[0]?.arrive();
    await first;
    await pages.return(undefined);
    expect(asked[1]?.signal.aborted).toBe(true);
  });
});
