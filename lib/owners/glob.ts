/** More alternatives than this are not written by hand. */
const ALTERNATIVES_MAX = 64;

/**
 * Whether a text matches a pattern as Argo CD matches names: `*`, `?`, `[a-z]`, `[!a-z]` and `{a,b}`, where `*` stands
 * for separators too. In time of pattern × text: the pattern may be hostile.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  return alternativesOf(pattern).some((each) => matches(tokensOf(each), text));
}

function alternativesOf(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (
    let next = open.pop();
    next !== undefined && done.length + open.length < ALTERNATIVES_MAX;
    next = open.pop()
  ) {
    const [whole = '', inner = ''] = /\{([^{}]*)\}/.exec(next) ?? [];
    if (whole === '') done.push(next);
    else for (const part of inner.split(',')) open.push(next.replace(whole, () => part));
  }
  return done;
}

type Token = '*' | ((letter: string) => boolean);

function tokensOf(pattern: string): Token[] {
  return [...pattern.matchAll(/\[(!?)([^\]]+)\]|\\(.)|(.)/gs)].map(([, not, set, escaped, letter]): Token => {
    if (set !== undefined) return (each) => isIn(set, each) !== (not === '!');
    if (letter === '*') return '*';
    if (letter === '?') return () => true;
    return (each) => each === (escaped ?? letter);
  });
}

function isIn(set: string, letter: string): boolean {
  const [, from, to] = /^(.)-(.)$/s.exec(set) ?? [];
  return from !== undefined && to !== undefined ? from <= letter && letter <= to : set.includes(letter);
}

/** Which ends of the pattern so far the text so far may have reached. */
function matches(tokens: readonly Token[], text: string): boolean {
  let reached = tokens.map(() => false);
  reached = [true, ...reached];
  const skipStars = (states: boolean[]) =>
    tokens.forEach((token, index) => {
      if (token === '*' && states[index] === true) states[index + 1] = true;
    });
  skipStars(reached);
  for (const letter of text) {
    const next = reached.map(() => false);
    tokens.forEach((token, index) => {
      if (reached[index] !== true) return;
      if (token === '*') next[index] = true;
      else if (token(letter)) next[index + 1] = true;
    });
    skipStars(next);
    reached = next;
  }
  return reached.at(-1) === true;
}
