/**
 * Words that sentences for people do not use, each with what Kubernetes, its tools and docs/glossary.md say instead. Only
 * words that are wrong wherever they stand: a reviewer judges the rest.
 */
const words = [
  [
    /\b(?:some|any|no)body\b|\bwho(?:so)?ever\b/i,
    'the actor, or the passive: "Waiting for approval", "not observed"',
  ],
  [/\bst(?:ands?|ood) (?:in the way|still)\b/i, '"blocks", "is paused"'],
  [/\bt(?:ake[sn]?|aking|ook) (?:\S+ )?back\b/i, '"roll back", "revert"'],
  [/\b(?:made|make|makes) good\b/i, '"restored"'],
  [/\bg(?:o|oes|oing) on\b|\bwent on\b/i, '"continue"'],
  [/\bg(?:o|oes|oing|one) back to\b|\bwent back to\b/i, '"roll back to", "revert to"'],
  [/\bon (?:its|their) way\b|\bunder way\b/i, '"in progress"'],
  [/\bpast (?:its|their) deadline\b/i, '"stalled"'],
  [/\bask(?:s|ed) for\b|\bwanted\b/i, '"desired", "requested"'],
  [/\b(?:vanish(?:es|ed)?|forg[eo]t(?:s|ten)?|remember(?:s|ed)?)\b/i, '"pruned", "retained", "archived"'],
  [/\bnot (?:recorded|known)\b/i, '"unknown", "not observed"'],
  [/\bsays managedFields\b/i, '"field manager"'],
  [/\b(?:went|gone|goes|go) through\b/i, '"completed"'],
  [/\bg(?:ive|ives|iven|ave) up\b/i, '"stop retrying", "dropped"'],
  [/\blet(?:s|ting)? (?:\S+ )?go\b/i, '"release", "continue"'],
  [/\bfor ever\b/i, '"indefinitely"'],
  [/\bfleets?\b/i, '"workloads"'],
  [/\bovertaken\b/i, '"superseded"'],
  [/\btrial\b/i, '"dry run"'],
  [/\b(?:be|been|being|is|are|was|were) (?:told|judged)\b|\bjudges\b/i, '"known", "analyzed"'],
  [/\bbr(?:ing|ings|inging|ought)\b/i, '"add", "scale up", "cause"'],
  [/\breleases? in steps\b|\breleased in steps\b/i, '"progressive rollout"'],
  [/\bmay not be (?:read|seen|listed|changed)\b/i, '"cannot", "is not allowed to"'],
  [/\b(?:ought|shall|thereof|hence|whilst|amongst|lest)\b/i, 'a plain word'],
  [/\bof its own accord\b|\bas good as\b/i, 'a plain word'],
  [/\b\d+ %/, 'no space before %'],
  [
    /\b(?:colou?r(?<=our)|behaviour|favour|honour|neighbour|centre|licence|catalogue|analyse[ds]?|grey)\w*/i,
    'American spelling',
  ],
  [
    /\b(?:recogni|organi|summari|initiali|finali|normali|minimi|maximi|synchroni|serial)is(?:e[sd]?|ing)\b/i,
    'American spelling',
  ],
];

/** A sentence has words with spaces between them; values of the API, class names and selectors have not, or no capital. */
const isSentence = (text) => /[A-Za-z]{2,}\s+[a-z]{2,}|^[A-Z][a-z]+$/.test(text);

function check(context, node, text) {
  if (!isSentence(text)) return;
  for (const [pattern, instead] of words) {
    const found = pattern.exec(text);
    if (found !== null) context.report({ node, messageId: 'found', data: { found: found[0], instead } });
  }
}

const isModule = ({ parent }) => /^(?:Import|Export)/.test(parent.type);

/** ESLint rule for strings and JSX text of code, and for the prose of Markdown. */
export const plainWords = {
  meta: {
    type: 'suggestion',
    docs: { description: 'Sentences for people use the words of docs/glossary.md.' },
    messages: { found: '"{{found}}": write {{instead}}. docs/glossary.md has the words.' },
    schema: [],
  },
  create: (context) => ({
    Literal: (node) => {
      if (typeof node.value === 'string' && !isModule(node)) check(context, node, node.value);
    },
    TemplateElement: (node) => check(context, node, node.value.cooked ?? ''),
    JSXText: (node) => check(context, node, node.value.replace(/\s+/g, ' ')),
    text: (node) => check(context, node, node.value),
  }),
};
