let typed = '';
let isCollecting = false;

/**
 * Collects what is typed from now on, until the field that it is meant for takes it: the field may still be loading,
 * and its text must neither be lost nor run the keys of the page.
 */
export function collectTyping(): void {
  if (isCollecting) return;
  isCollecting = true;
  typed = '';
  addEventListener('keydown', onKeyDown, { capture: true });
}

/** What was typed meanwhile; from now on the keys go where the focus is. */
export function takeTyped(): string {
  removeEventListener('keydown', onKeyDown, { capture: true });
  isCollecting = false;
  const taken = typed;
  typed = '';
  return taken;
}

function onKeyDown(event: KeyboardEvent): void {
  const { key } = event;
  if (event.ctrlKey || event.metaKey || event.isComposing) return;
  if (key.length !== 1 && key !== 'Backspace') return;
  typed = key === 'Backspace' ? typed.slice(0, -1) : typed + key;
  event.preventDefault();
  event.stopPropagation();
}
