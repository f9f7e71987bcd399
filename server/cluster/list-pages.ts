import { type ObjectList, parseObjectList, peekContinue } from '@/server/cluster/object-list';

/**
 * Fetches the text of one page, the first when `token` is undefined. `onBegin` receives the beginning of the
 * answer before the rest has arrived; calling it is optional.
 */
export type FetchPage = (
  token: string | undefined,
  onBegin: (beginning: string) => void,
  signal: AbortSignal,
) => Promise<string>;

interface PendingPage {
  readonly text: Promise<string>;
  /** Sets the token of the next page, once. */
  readonly setNext: (next: string | undefined) => void;
}

/**
 * This many pages are being read or wait, so that the API server writes while Shiplog reads; each may have
 * some megabytes.
 */
const PAGES_AHEAD = 2;

/**
 * The pages of a collection in their order. The next page is requested as soon as the previous one begins to
 * arrive. Throws what `fetchPage` throws, in the turn of that page; leaving the iteration aborts the pending
 * requests.
 */
export async function* readPages(fetchPage: FetchPage): AsyncGenerator<ObjectList> {
  const cancellation = new AbortController();
  const pendingPages: PendingPage[] = [];
  let postponed: string | undefined;

  function requestPage(token: string | undefined): void {
    let isNextKnown = false;
    const setNext = (next: string | undefined): void => {
      if (isNextKnown || next === undefined) return;
      isNextKnown = true;
      if (pendingPages.length < PAGES_AHEAD) requestPage(next);
      else postponed = next;
    };
    const { promise: text, resolve } = Promise.withResolvers<string>();
    // If the caller leaves the iteration before its turn, the failure would have no handler.
    text.catch(() => undefined);
    pendingPages.push({ text, setNext });
    resolve(fetchPage(token, (beginning) => setNext(peekContinue(beginning)), cancellation.signal));
  }

  try {
    requestPage(undefined);
    for (let page = pendingPages.shift(); page !== undefined; page = pendingPages.shift()) {
      const text = await page.text;
      page.setNext(peekContinue(text));
      if (postponed !== undefined && pendingPages.length < PAGES_AHEAD) {
        const token = postponed;
        postponed = undefined;
        requestPage(token);
      }
      const list = parseObjectList(text);
      page.setNext(list.next);
      yield list;
    }
  } finally {
    cancellation.abort();
  }
}
