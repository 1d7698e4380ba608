/**
 * Replaces block and box characters with ASCII, one cell each, for terminals and fonts without
 * them.
 */
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
