/**
 * A script for the start of the document: it collects the keys that are pressed before the page has bound its own, which
 * then run (`shortcuts.tsx`).
 */
export const earlyKeysScript =
  'window.earlyKeys=[];addEventListener("keydown",e=>{window.earlyKeys?.push(e)})';
