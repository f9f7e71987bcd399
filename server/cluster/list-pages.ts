import { type ObjectList, parseObjectList, peekContinue } from '@/server/cluster/object-list';

/**
 * Fetches the text of one page, the first when `token` is undefined. `onBegin` is told how the answer begins, before
 * the rest of it has come; who can't tell need not.
 */
export type FetchPage = (
  token: string | undefined,
  onBegin: (beginning: string) => void,
  signal: AbortSignal,
) => Promise<string>;

interface ComingPage {
  readonly text: Promise<string>;
  /** Takes the token of the page after it, once. */
  readonly learn: (next: string | undefined) => void;
}

/** So many pages are on their way or wait, so that the API server writes while we read; each may have some megabytes. */
const PAGES_AHEAD = 2;

/**
 * The pages of a collection in their order. A page is asked for as soon as the one before begins to come. Throws what
 * `fetchPage` throws, in the turn of that page; leaving the iteration aborts what is on its way.
 */
export async function* readPages(fetchPage: FetchPage): AsyncGenerator<ObjectList> {
  const leaving = new AbortController();
  const coming: ComingPage[] = [];
  let postponed: string | undefined;

  function ask(token: string | undefined): void {
    let isLearned = false;
    const learn = (next: string | undefined): void => {
      if (isLearned || next === undefined) return;
      isLearned = true;
      if (coming.length < PAGES_AHEAD) ask(next);
      else postponed = next;
    };
    const { promise: text, resolve } = Promise.withResolvers<string>();
    // Should the iteration be left before its turn, nobody else would look at the failure.
    text.catch(() => undefined);
    coming.push({ text, learn });
    resolve(fetchPage(token, (beginning) => learn(peekContinue(beginning)), leaving.signal));
  }

  try {
    ask(undefined);
    for (let page = coming.shift(); page !== undefined; page = coming.shift()) {
      const text = await page.text;
      page.learn(peekContinue(text));
      if (postponed !== undefined && coming.length < PAGES_AHEAD) {
        const token = postponed;
        postponed = undefined;
        ask(token);
      }
      const list = parseObjectList(text);
      page.learn(list.next);
      yield list;
    }
  } finally {
    leaving.abort();
  }
}
