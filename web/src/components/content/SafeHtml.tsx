import { lazy, Suspense } from 'react';

const SafeHtmlBody = lazy(async () => ({
  default: (await import('./SafeHtmlBody.tsx')).SafeHtmlBody,
}));

interface SafeHtmlProps {
  readonly html: string;
  /** `inline` for a line of text such as the footer. */
  readonly isInline?: boolean;
}

/** HTML that somebody wrote in a setting or a message, without what could run or leave its place. */
export function SafeHtml(props: SafeHtmlProps) {
  return (
    <Suspense fallback={null}>
      <SafeHtmlBody {...props} />
    </Suspense>
  );
}
