// A slow machine loads a lazy part of a page in more than the second that Testing Library waits.
if ('document' in globalThis) {
  const { configure } = await import('@testing-library/react');
  configure({ asyncUtilTimeout: 10_000 });
}

export {};
