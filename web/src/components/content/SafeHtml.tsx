import { lazy, Suspense } from 'react';

const SafeHtmlBody = lazy(async () => ({
  default: (await import('./SafeHtmlBody.tsx')).SafeHtmlBody,
}));

interface SafeHtmlProps {
  readonly html: string;
  /** Inline, for a single line such as the footer. */
  readonly isInline?: boolean;
}

/** Renders HTML from a setting or message, without scripts or anything that leaves its box. */
export function SafeHtml(props: SafeHtmlProps) {
  return (
    <Suspense fallback={null}>
      <SafeHtmlBody {...props} />
    </Suspense>
  );
}
