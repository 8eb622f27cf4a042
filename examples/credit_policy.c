// A lender's rules on an applicant's data. LENDER keeps the rules to itself, APPLICANT its data, and APPLICANT alone learns the decision.

TACIT_ROLE(LENDER);
TACIT_ROLE(APPLICANT);

void policy(unsigned INPUT_APPLICANT_income, unsigned INPUT_APPLICANT_debt, unsigned char INPUT_APPLICANT_age,
            unsigned char INPUT_APPLICANT_defaults)
{
    unsigned score = 0;
    if (INPUT_APPLICANT_income > 30000) score += 3;
    if (INPUT_APPLICANT_debt < 5000) score += 2;
    if (INPUT_APPLICANT_age >= 25) score += 1;
    if (INPUT_APPLICANT_defaults > 0) score = 0;
    unsigned char OUTPUT_APPLICANT_granted = score >= 4;
}
