import { lazy, Suspense } from 'react';
import type { Formula } from './math-marks.ts';

const MathBody = lazy(async () => ({ default: (await import('./MathBody.tsx')).MathBody }));

/** A formula; its source until the renderer is loaded, which only texts with formulas need. */
export function MathView({ tex, isDisplay }: Formula) {
  return (
    <Suspense fallback={<code>{tex}</code>}>
      <MathBody tex={tex} isDisplay={isDisplay} />
    </Suspense>
  );
}
