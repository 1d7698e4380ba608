import katex from 'katex';
import { memo } from 'react';
import classes from './content.module.css';
import type { Formula } from './math-marks.ts';

/** As MathML, which browsers draw themselves: no fonts and no style sheet to load. */
export const MathBody = memo(function MathBody({ tex, isDisplay }: Formula) {
  const html = katex.renderToString(tex, {
    displayMode: isDisplay,
    output: 'mathml',
    throwOnError: false,
    strict: 'ignore',
    maxSize: 50,
  });
  const content = { __html: html };
  return (
    <span
      className={classes.math}
      data-display={isDisplay || undefined}
      // A wide formula scrolls, also by keyboard.
      tabIndex={isDisplay ? 0 : undefined}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: KaTeX escapes it, and trust is off
      dangerouslySetInnerHTML={content}
    />
  );
});
