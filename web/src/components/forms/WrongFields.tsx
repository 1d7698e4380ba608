import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { focusFirstError } from './focus-error.ts';
import classes from './WrongFields.module.css';

/** The number of wrong fields, beside the button that submits them; leads to the first of them. */
export function WrongFields({ count }: { readonly count: number }) {
  const { t } = useTranslation();
  if (count === 0) return null;
  return (
    <Button
      className={classes.count}
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
