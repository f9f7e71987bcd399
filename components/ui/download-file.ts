/** Downloads the address as a file, under its own name or the given one, without leaving the page. */
export function downloadFile(path: string, name = ''): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = name;
  link.click();
}
