/** A key of the table of routes taken apart: `GET /api/records/{id}`. */
export function partsOfKey(key: string): { method: string; template: string } {
  const [method = '', template = ''] = key.split(' ');
  return { method, template };
}

/** Whether the segments of a path are those of a template, where any stands for a parameter. */
export function matchesTemplate(template: readonly string[], path: readonly string[]): boolean {
  return (
    template.length === path.length &&
    template.every((part, index) => part.startsWith('{') || part === path[index])
  );
}

/** A template with its parameters, percent-encoded; those that are missing are empty. */
export function fillTemplate(template: string, params: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
}
