import { Group, Text } from '@mantine/core';
import { IconCheck, IconPoint } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

export const MIN_PASSWORD_LENGTH = 8;

interface PasswordRulesProps {
  readonly password: string;
  readonly again: string;
}

/** The two rules of a new password, checked while the user types. */
export function PasswordRules({ password, again }: PasswordRulesProps) {
  const { t } = useTranslation();
  const rules = [
    { text: t('part.password.length'), isMet: password.length >= MIN_PASSWORD_LENGTH },
    { text: t('part.password.same'), isMet: password !== '' && password === again },
  ];
  return (
    <Group gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {rules.map(({ text, isMet }) => (
        <Group
          key={text}
          component="li"
          gap={4}
          wrap="nowrap"
          c={isMet ? 'var(--tone-green-text)' : 'dimmed'}
        >
          {isMet ? <IconCheck size={14} aria-hidden /> : <IconPoint size={14} aria-hidden />}
          <Text span size="xs">
            {text}
          </Text>
        </Group>
      ))}
    </Group>
  );
}
