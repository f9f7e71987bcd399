/** Saves what is at the address as a file, under its own name or the one given; this page stays. */
export function takeAlong(path: string, name = ''): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = name;
  link.click();
}
