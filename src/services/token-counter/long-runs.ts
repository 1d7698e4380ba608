/** Splits long runs: byte pair encoders are quadratic in unbroken text (base64, DNA, "aaaa"). */
const MAX_RUN = 2000;

/**
 * Splits the text into pieces without an unbroken run of more than 2,000 letters or white space
 * characters. A cut costs at most one token; one linear pass.
 */
export function withoutLongRuns(text: string): readonly string[] {
  if (text.length <= MAX_RUN) return [text];
  const pieces: string[] = [];
  let pieceStart = 0;
  let runStart = 0;
  let runIsSpace = isSpace(text.charCodeAt(0));
  for (let index = 1; index < text.length; index++) {
    const space = isSpace(text.charCodeAt(index));
    if (space !== runIsSpace) {
      runStart = index;
      runIsSpace = space;
    } else if (index - runStart >= MAX_RUN) {
      pieces.push(text.slice(pieceStart, index));
      pieceStart = index;
      runStart = index;
    }
  }
  pieces.push(text.slice(pieceStart));
  return pieces;
}

function isSpace(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0x3000;
}
