import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

/** Records with accessors instead of own properties, of which a spread copies nothing (decision 33). */
const ACCESSOR_RECORDS = { PodRecord: 'copyPod', ContainerRecord: 'copyContainer' };

const recordSpread = {
  create(context) {
    const { parserServices: services } = context.sourceCode;
    const checker = services.program.getTypeChecker();
    const nameOf = (type) => [type, ...(type.isClassOrInterface() ? checker.getBaseTypes(type) : [])].map(({ symbol }) => symbol?.name);
    const partsOf = (type) => (type.isUnionOrIntersection() ? type.types.flatMap(partsOf) : [type]);
    const check = (node, copied) => {
      const names = partsOf(services.getTypeAtLocation(copied)).flatMap(nameOf);
      const record = names.find((name) => Object.hasOwn(ACCESSOR_RECORDS, name ?? ''));
      if (record === undefined) return;
      context.report({ node, message: `A spread copies nothing of a ${record} from the API server: use ${ACCESSOR_RECORDS[record]}.` });
    };
    return {
      'ObjectExpression > SpreadElement': (node) => check(node, node.argument),
      'ObjectPattern > RestElement': (node) => check(node, node.parent),
    };
  },
};

export default defineConfig(
  globalIgnores(['dist', 'dist-embedded-cluster', 'node_modules', 'src/ui', '**/*.generated.ts', 'coverage']),
  {
    files: ['**/*.ts'],
    extends: [js.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Ports are asynchronous even where one implementation need not be.
      '@typescript-eslint/require-await': 'off',
      // Index signatures are read with brackets here: TypeScript's noPropertyAccessFromIndexSignature asks for it.
      '@typescript-eslint/dot-notation': 'off',
      '@typescript-eslint/no-unnecessary-condition': ['error', { allowConstantLoopConditions: 'only-allowed-literals' }],
      'no-console': 'error',
      complexity: ['error', 16],
      'max-lines': ['warn', { max: 400, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
    },
  },
  {
    files: ['src/core/**/*.ts', 'packages/kube/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['node:*', '@kubernetes/*', 'express', 'winston', 'prom-client'],
              message: 'core and packages/kube are pure: no I/O, no Node API.',
            },
          ],
        },
      ],
      'no-restricted-globals': [
        'error',
        { name: 'process', message: 'core is pure: pass what is needed as an argument.' },
        { name: 'setTimeout', message: 'core has no timers: time is an argument.' },
        { name: 'setInterval', message: 'core has no timers: time is an argument.' },
        { name: 'setImmediate', message: 'core has no timers: time is an argument.' },
        { name: 'fetch', message: 'core does no I/O.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='Date'][callee.property.name='now']",
          message: 'core has no clock: time is an argument.',
        },
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: 'core has no clock: time is an argument.' },
        {
          selector: "CallExpression[callee.object.name='Math'][callee.property.name='random']",
          message: 'core has no randomness: pass a Random.',
        },
      ],
    },
  },
  {
    files: ['src/**/*.ts', 'packages/kube/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    plugins: { evenkeel: { rules: { 'no-record-spread': recordSpread } } },
    rules: { 'evenkeel/no-record-spread': 'error' },
  },
  {
    files: ['src/cli/**/*.ts', 'src/demo/**/*.ts', 'hack/**/*.ts', 'test/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.test.ts', 'test/**/*.ts', 'packages/*/testing/**/*.ts'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      complexity: 'off',
      // A table of rules may be long; what it tests may not.
      'max-lines': 'off',
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    extends: [js.configs.recommended],
    languageOptions: { globals: { module: 'writable', process: 'readonly' } },
  },
);
