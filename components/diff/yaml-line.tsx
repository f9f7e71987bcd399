/** Indent is drawn by the viewer. A key is a plain or quoted word up to a colon that ends the line or has a space behind it. */
const KEY = /^((?:- )*)((?:"[^"]*"|'[^']*'|[^\s"'#:-][^:#]*?|-[^\s:#][^:#]*?):)(?=\s|$)(.*)$/s;

/** One line of YAML with its key set back; text that is no key stays as it is. */
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
