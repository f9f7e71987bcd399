/**
 * The viewer draws the indent. A key is a plain or quoted word up to a colon that ends the line or has a space after
 * it.
 */
const KEY = /^((?:- )*)((?:"[^"]*"|'[^']*'|[^\s"'#:-][^:#]*?|-[^\s:#][^:#]*?):)(?=\s|$)(.*)$/s;

/** One line of YAML with its key dimmed; text that is not a key is unchanged. */
export function YamlLine({ text }: { text: string }) {
  const [, dashes, key, rest] = KEY.exec(text) ?? [];
  if (key === undefined) return <>{text}</>;
  return (
    <>
      {dashes}
      <span className="text-ink-3">{key}</span>
      {rest}
    </>
  );
}
