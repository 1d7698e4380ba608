import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { focusFirstError } from './focus-error.ts';

/** The number of wrong fields, beside the button that submits them; leads to the first of them. */
export function WrongFields({ count }: { readonly count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <Button
      // On a phone a line of its own, so that the buttons stay side by side.
      flex={{ base: '1 0 100%', xs: '0 1 auto' }}
      justify="flex-end"
      variant="subtle"
      color="danger"
      size="compact-sm"
      onClick={focusFirstError}
    >
      {t('part.wrongFields', { count })}
    </Button>
  );
}
