/** Saves files generated in the browser as downloads. */

export function saveText(name: string, text: string, type: string): void {
  // Spreadsheets recognize UTF-8 only with a byte order mark.
  const parts = type === 'text/csv' ? ['\u{FEFF}', text] : [text];
  saveBlob(name, new Blob(parts, { type: `${type};charset=utf-8` }));
}

function saveBlob(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name.replaceAll(/[\\/:*?"<>|]/g, '-');
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const SCALE = 2;

/** Draws at double size on the card's background, with the colours on screen. */
export async function saveSvgAsPng(name: string, svg: SVGSVGElement): Promise<void> {
  const { width, height } = svg.getBoundingClientRect();
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(
    '--mantine-color-body',
  );
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => blob && saveBlob(name, blob));
}

/** A copy that needs no style sheet, because CSS variables have no value outside the page. */
function standalone(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement; // a clone has its original's type
  const originals = [...svg.querySelectorAll<SVGElement>('*')];
  for (const [index, element] of [...copy.querySelectorAll<SVGElement>('*')].entries()) {
    const original = originals[index];
    if (original === undefined) continue;
    const { fill, stroke, fontSize, fontFamily, opacity } = getComputedStyle(original);
    Object.assign(element.style, { fill, stroke, fontSize, fontFamily, opacity });
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  return new XMLSerializer().serializeToString(copy);
}
