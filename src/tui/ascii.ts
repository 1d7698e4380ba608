/** ASCII replacements of block and box characters, for terminals and fonts without them. */
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
