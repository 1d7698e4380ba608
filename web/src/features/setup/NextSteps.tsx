import { Button, List, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';

/** The next steps after set-up. */
export function NextSteps() {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Text size="sm">{t('setup.next.intro')}</Text>
      <List type="ordered" size="sm" spacing={6}>
        <List.Item>{t('setup.next.1')}</List.Item>
        <List.Item>{t('setup.next.2')}</List.Item>
        <List.Item>{t('setup.next.3')}</List.Item>
        <List.Item>{t('setup.next.4')}</List.Item>
      </List>
      <Button component={Link} to="/login?returnTo=%2Fadmin%2Fchannels" fullWidth>
        {t('setup.next.signIn')}
      </Button>
    </Stack>
  );
}
