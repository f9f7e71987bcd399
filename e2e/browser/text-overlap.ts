import { expect, type Page } from '@playwright/test';

/** No visible text may cover another, and none may leave the window where nothing scrolls to it. */
export async function expectTextApart(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(findCollisions)).toEqual([]);
}

/** Runs in the page. Texts of a menu, a dialog or a bar that stays in view are above those of the page. */
function findCollisions(): string[] {
  interface Box {
    text: string;
    element: Element;
    layer: Element | null;
    left: number;
    top: number;
    right: number;
    bottom: number;
  }
  const root = document.documentElement;

  function ancestors(element: Element): Element[] {
    const found: Element[] = [];
    for (let each: Element | null = element; each !== null && each !== root; each = each.parentElement)
      found.push(each);
    return found;
  }

  function isLayer(element: Element): boolean {
    const { position, backgroundColor } = getComputedStyle(element);
    if (position === 'fixed' || position === 'sticky') return true;
    return position === 'absolute' && backgroundColor !== 'rgba(0, 0, 0, 0)';
  }

  const boxes: Box[] = [];
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = node.textContent?.trim() ?? '';
    const element = node.parentElement;
    if (text === '' || element === null) continue;
    if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const around = ancestors(element);
    const clips = around.filter((each) => getComputedStyle(each).overflowX !== 'visible');
    const scrolls = clips.some((each) => /auto|scroll/.test(getComputedStyle(each).overflowX));
    const bounds = clips.map((each) => each.getBoundingClientRect());
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const rect of range.getClientRects()) {
      const box: Box = {
        text: text.slice(0, 40),
        element,
        layer: around.find(isLayer) ?? null,
        left: Math.max(rect.left, ...bounds.map(({ left }) => left)),
        top: Math.max(rect.top, ...bounds.map(({ top }) => top)),
        right: Math.min(rect.right, ...bounds.map(({ right }) => right)),
        bottom: Math.min(rect.bottom, ...bounds.map(({ bottom }) => bottom)),
      };
      if (box.right - box.left < 2 || box.bottom - box.top < 4) continue;
      if (!scrolls && (box.left < -1 || box.right > root.clientWidth + 1))
        found.push(`outside the window: ${box.text}`);
      boxes.push(box);
    }
  }

  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((a, index) => {
    for (const b of boxes.slice(index + 1)) {
      if (b.top > a.bottom - 4) break;
      if (a.element === b.element || a.layer !== b.layer) continue;
      const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const height = Math.min(a.bottom, b.bottom) - b.top;
      if (width > 2 && height > 4) found.push(`${a.text} | ${b.text}`);
    }
  });
  return found.slice(0, 10);
}
