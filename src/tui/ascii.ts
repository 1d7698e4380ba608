/** Blocks and boxes in ASCII, for terminals and fonts without them: one cell for one cell. */
const ASCII: Readonly<Record<string, string>> = {
  '▁': '_',
  '▂': '.',
  '▃': '-',
  '▄': '=',
  '▅': '+',
  '▆': '*',
  '▇': '%',
  '█': '#',
  '─': '-',
  '│': '|',
  '┌': '+',
  '┐': '+',
  '└': '+',
  '┘': '+',
  '…': '~',
  '•': '*',
  '→': '>',
};

export function asAscii(text: string): string {
  return text.replace(/[▁▂▃▄▅▆▇█─│┌┐└┘…•→]/gu, (char) => ASCII[char] ?? char);
}
