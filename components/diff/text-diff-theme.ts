import { type ReactDiffViewerStylesOverride } from 'react-diff-viewer-continued';

const variables = {
  diffViewerBackground: 'var(--surface)',
  diffViewerColor: 'var(--ink)',
  addedBackground: 'var(--added-soft)',
  addedColor: 'var(--ink)',
  removedBackground: 'var(--removed-soft)',
  removedColor: 'var(--ink)',
  changedBackground: 'var(--surface)',
  emptyLineBackground: 'var(--lane)',
};

/**
 * One theme for both color schemes: the CSS variables switch. A constant, because the viewer rebuilds its style sheet
 * for a new object.
 */
export const diffViewerStyles: ReactDiffViewerStylesOverride = {
  variables: { light: variables, dark: variables },
  diffContainer: {
    minWidth: 'unset',
    fontFamily: 'var(--mono)',
    pre: { lineHeight: '19px', fontFamily: 'var(--mono)' },
    '& td[data-side=right]': { borderInlineStart: '1px solid var(--line)' },
  },
  contentText: { fontFamily: 'var(--mono)', fontSize: 12, lineHeight: '19px', letterSpacing: '-0.01em' },
  line: { '& ins, & del': { background: 'none', padding: 0, borderRadius: 0 } },
  // Shiplog compares the words, so the viewer's own highlights are off.
  wordDiff: {
    'ins&&&': { background: 'var(--added-mark)', borderRadius: 2 },
    'del&&&': { background: 'var(--removed-mark)', borderRadius: 2 },
  },
  marker: {
    width: 22,
    padding: '0 4px',
    textAlign: 'center',
    pre: { width: 'auto', fontSize: 12 },
  },
  diffAdded: { '&& pre': { color: 'var(--added)' }, '&& pre ins, && ins': { color: 'var(--ink)' } },
  diffRemoved: { '&& pre': { color: 'var(--removed)' }, '&& pre del, && del': { color: 'var(--ink)' } },
};
