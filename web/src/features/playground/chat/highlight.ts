/** Splits code into tokens by kind, accurate enough to aid reading in most languages. */

export type CodeKind = 'plain' | 'comment' | 'string' | 'number' | 'keyword';

export interface CodePiece {
  readonly kind: CodeKind;
  readonly text: string;
}

const KEYWORDS = new Set(
  `abstract and as async await begin bool boolean break case catch char class const continue def default
   defer del do done double elif else end enum esac except export extends extern false fi final finally
   float fn for from func function go goto if impl implements import in int interface is lambda let
   long loop match mod mut new nil none not null or package pass private protected pub public raise
   return select self short static string struct super switch then this throw throws trait true try
   type typeof union unsafe use var void where while with yield SELECT FROM WHERE INSERT INTO VALUES
   UPDATE SET DELETE JOIN LEFT ON GROUP ORDER BY LIMIT CREATE TABLE AND OR NOT NULL None True False`
    .split(/\s+/)
    .filter(Boolean),
);

/** Languages in which `#` starts a comment; elsewhere it is a preprocessor directive or colour. */
const HASH_COMMENTS =
  /^(py|python|sh|bash|shell|zsh|ruby|rb|ya?ml|toml|r|perl|pl|dockerfile|make|makefile)$/i;

export function codePieces(code: string, language: string): CodePiece[] {
  const comment = HASH_COMMENTS.test(language)
    ? '#[^\\n]*'
    : '\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?(?:\\*\\/|$)|(?:^|(?<=\\n))\\s*--[^\\n]*';
  const token = new RegExp(
    `(${comment})|("(?:\\\\.|[^"\\\\\\n])*"|'(?:\\\\.|[^'\\\\\\n])*'|\`(?:\\\\.|[^\`\\\\])*\`)|(\\b\\d[\\w.]*)|([A-Za-z_]\\w*)`,
    'g',
  );
  const pieces: CodePiece[] = [];
  let end = 0;
  for (const match of code.matchAll(token)) {
    const [text, isComment, isString, isNumber] = match;
    const kind = kindOf(text, { isComment, isString, isNumber });
    if (kind === 'plain') continue;
    if (match.index > end) pieces.push({ kind: 'plain', text: code.slice(end, match.index) });
    pieces.push({ kind, text });
    end = match.index + text.length;
  }
  if (end < code.length) pieces.push({ kind: 'plain', text: code.slice(end) });
  return pieces;
}

type Groups = Readonly<Record<'isComment' | 'isString' | 'isNumber', string | undefined>>;

function kindOf(text: string, { isComment, isString, isNumber }: Groups): CodeKind {
  if (isComment !== undefined) return 'comment';
  if (isString !== undefined) return 'string';
  if (isNumber !== undefined) return 'number';
  return KEYWORDS.has(text) ? 'keyword' : 'plain';
}
